"""Looking up terms, facts and topics."""
