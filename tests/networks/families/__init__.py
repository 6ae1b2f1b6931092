"""Examples of each type of network, one file a type, for all tests that go through the types."""
