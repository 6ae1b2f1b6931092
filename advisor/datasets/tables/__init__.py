"""Tables: columns, target, suspicious columns, class counts, whatever the format."""
