"""The processes of a group: started, watched, and heard."""
