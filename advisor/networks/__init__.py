"""The networks that can be built, by name. This module and `spec` import no torch; `builders` and the families do."""
