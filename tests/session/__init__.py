"""Tests of the application below the faces, and of the Python interface."""
