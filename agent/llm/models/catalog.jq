# Reduces the providers of charm.land/catwalk to what package models reads: one line each, without what is zero.
sort_by(.id)[] | {id, api_endpoint, models: [.models | sort_by(.id)[]
  | del(.name, .options, .default_reasoning_effort)
  | with_entries(select(.value != 0 and .value != false) | .value |= (numbers |= (. * 1e6 | round / 1e6)))]}
