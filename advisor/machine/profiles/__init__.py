"""Published figures of devices and of training runs."""
