"""Pictures and sounds, decoded, and the folders of files that stand for classes."""
