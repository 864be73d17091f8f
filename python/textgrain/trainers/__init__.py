"""Settings plus ``train``: each trainer is a frozen dataclass that makes a new artifact."""
