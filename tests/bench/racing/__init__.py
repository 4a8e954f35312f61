"""What tests/bench/race is made of; README.md says which file does what."""
