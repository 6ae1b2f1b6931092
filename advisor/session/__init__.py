"""The application below every face: inputs gathered, plans made, machines measured, models tried, conversations kept."""
