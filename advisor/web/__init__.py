"""The wizard in a browser: a server on the loopback interface, and a process for each window."""
