"""Commands on known devices and on machines that were measured."""
