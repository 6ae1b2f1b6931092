"""Recurrent networks: rnn and lstm."""
