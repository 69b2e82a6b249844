/** The answers to the examples, as test/reference/examples.test.ts has recorded them. */
export const EXAMPLE_ANSWERS: Readonly<Record<string, unknown>> = {
  "create": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 3,
    "rows_upserted": 3,
    "billing": {
      "billable_logical_bytes_written": 312
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "upsert-columns": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 2,
    "rows_upserted": 2,
    "billing": {
      "billable_logical_bytes_written": 143
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "patch": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 2,
    "rows_patched": 2,
    "patched_ids": [
      4,
      5
    ],
    "billing": {
      "billable_logical_bytes_written": 32,
      "query": {
        "billable_logical_bytes_queried": 1280000000,
        "billable_logical_bytes_returned": 0
      }
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "conditional": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 0,
    "rows_upserted": 0,
    "billing": {
      "billable_logical_bytes_written": 0,
      "query": {
        "billable_logical_bytes_queried": 1280000000,
        "billable_logical_bytes_returned": 0
      }
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "patch-by-filter": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 3,
    "rows_patched": 3,
    "billing": {
      "billable_logical_bytes_written": 24,
      "query": {
        "billable_logical_bytes_queried": 2560000000,
        "billable_logical_bytes_returned": 0
      }
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "delete": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 1,
    "rows_deleted": 1,
    "billing": {
      "billable_logical_bytes_written": 8,
      "query": {
        "billable_logical_bytes_queried": 1280000000,
        "billable_logical_bytes_returned": 0
      }
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "drop-attribute": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 0,
    "billing": {
      "billable_logical_bytes_written": 0
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "wrong-id": {
    "status": "error",
    "error": "💔 namespace ID type is uint, but you sent string; you are not allowed to mix ID types in the same namespace; upsert_rows[0].id is \"six\""
  },
  "wrong-shape": {
    "status": "error",
    "error": "Failed to deserialize the JSON body into the target type: deletes: data did not match any variant of untagged enum IdVec at line 1 column 20; give the ids in an array, as in [1, 2]"
  },
  "create-embedded": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 2,
    "rows_upserted": 2,
    "billing": {
      "billable_logical_bytes_written": 314
    },
    "performance": {
      "server_total_ms": 3,
      "embedding_tokens": 7,
      "embedding_ms": 1
    }
  },
  "create-late-interaction": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 2,
    "rows_upserted": 2,
    "billing": {
      "billable_logical_bytes_written": 40
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "import-lines": {
    "status": "OK",
    "message": "documents committed successfully",
    "rows_affected": 2,
    "rows_upserted": 2,
    "batches": 1,
    "billing": {
      "billable_logical_bytes_written": 24
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "import-fault": {
    "status": "error",
    "error": "Failed to deserialize the JSON body into the target type: missing field `id`; in line 2 of the body; nothing was committed",
    "line": 2,
    "lines_committed": 0,
    "rows_committed": 0
  },
  "branch": {
    "status": "OK",
    "message": "namespace branch successful",
    "rows_affected": 0,
    "billing": {
      "billable_logical_bytes_written": 236
    },
    "performance": {
      "server_total_ms": 3
    }
  },
  "start-copy": {
    "token": "b8f2a6d31c90"
  },
  "poll-copy": {
    "status": "finished",
    "start_time": "2026-11-25T09:30:00.000000000Z",
    "finish_time": "2026-11-25T09:30:01.000000000Z",
    "result": {
      "success": {
        "status": "OK",
        "message": "namespace cloned successfully",
        "rows_affected": 5,
        "billing": {
          "billable_logical_bytes_written": 236
        },
        "performance": {
          "server_total_ms": 3
        }
      }
    }
  },
  "nearest": {
    "rows": [
      {
        "id": 1,
        "$dist": 0.005827598,
        "title": "Alien"
      },
      {
        "id": 2,
        "$dist": 0.009798204,
        "title": "Aliens"
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 35
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "exact": {
    "rows": [
      {
        "id": 3,
        "$dist": 0.57647055
      },
      {
        "id": 5,
        "$dist": 0.66366357
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 24
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "words": {
    "rows": [
      {
        "id": 1,
        "$dist": 1.4025717,
        "title": "Alien"
      },
      {
        "id": 4,
        "$dist": 0.9913397,
        "title": "Gravity"
      },
      {
        "id": 2,
        "$dist": 0.8506132,
        "title": "Aliens"
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 54
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "words-weighted": {
    "rows": [
      {
        "id": 2,
        "$dist": 3.3469357
      },
      {
        "id": 1,
        "$dist": 2
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 24
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "boosted": {
    "rows": [
      {
        "id": 4,
        "$dist": 1.9913397,
        "year": 2013
      },
      {
        "id": 1,
        "$dist": 0.9285586,
        "year": 1979
      },
      {
        "id": 5,
        "$dist": 0.90909094,
        "year": 2014
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 60
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "hybrid": {
    "results": [
      {
        "rows": [
          {
            "id": 4,
            "$dist": 0.048659902,
            "title": "Gravity"
          },
          {
            "id": 1,
            "$dist": 0.04865151,
            "title": "Alien"
          },
          {
            "id": 2,
            "$dist": 0.016129032,
            "title": "Aliens"
          }
        ]
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 2560000000,
      "billable_logical_bytes_returned": 129
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "several": {
    "results": [
      {
        "aggregations": {
          "films": 5
        }
      },
      {
        "rows": [
          {
            "id": 1,
            "title": "Alien",
            "rating": 8.5
          }
        ]
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 2560000000,
      "billable_logical_bytes_returned": 21
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "order": {
    "rows": [
      {
        "id": 3,
        "title": "Amadeus",
        "rating": 8.4,
        "year": 1984
      },
      {
        "id": 2,
        "title": "Aliens",
        "rating": 8.4,
        "year": 1986
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 61
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "filters": {
    "rows": [
      {
        "id": 5,
        "title": "Whiplash"
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 16
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "phrase": {
    "rows": [
      {
        "id": 1
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 8
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "count": {
    "aggregations": {
      "films": 4,
      "rating": 33
    },
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 0
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "groups": {
    "aggregation_groups": [
      {
        "genre": "action",
        "films": 1
      },
      {
        "genre": "drama",
        "films": 2
      },
      {
        "genre": "horror",
        "films": 1
      },
      {
        "genre": "music",
        "films": 2
      },
      {
        "genre": "space",
        "films": 3
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 0
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "diverse": {
    "rows": [
      {
        "id": 1,
        "rating": 8.5
      },
      {
        "id": 3,
        "rating": 8.4
      },
      {
        "id": 4,
        "rating": 7.7
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 48
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "highlights": {
    "rows": [
      {
        "id": 1,
        "$dist": 1.1104777,
        "fragments": [
          {
            "text": "Nobody hears them scream.",
            "fragment_range": [
              41,
              66
            ],
            "match_ranges": [
              [
                59,
                65
              ]
            ]
          }
        ],
        "distance": 0.006116266
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 12
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "eventual": {
    "rows": [
      {
        "id": 1,
        "$dist": 0.005827598,
        "title": "Alien",
        "plot": "A crew in space meets a deadly stranger. Nobody hears them scream.",
        "year": 1979,
        "rating": 8.5,
        "genres": [
          "horror",
          "space"
        ],
        "vector": "ZmZmP83MzD0="
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 118
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "reranked": {
    "rows": [
      {
        "id": 3,
        "$dist": 0.5345225,
        "plot": "A composer envies the gift of another composer."
      },
      {
        "id": 4,
        "$dist": 0.12049067,
        "plot": "Two of a crew drift in space."
      },
      {
        "id": 1,
        "$dist": 0.11542256,
        "plot": "A crew in space meets a deadly stranger. Nobody hears them scream."
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 178
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 5,
      "approx_namespace_size": 5,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "text-to-vector": {
    "rows": [
      {
        "id": "a",
        "$dist": 0.5089665,
        "text": "buy milk and bread"
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 23
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 2,
      "approx_namespace_size": 2,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z",
      "embedding_tokens": 1,
      "embedding_ms": 1
    }
  },
  "sparse": {
    "rows": [
      {
        "id": "a",
        "$dist": 1.5
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 5
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 2,
      "approx_namespace_size": 2,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "late-interaction": {
    "rows": [
      {
        "id": 1,
        "$dist": 0
      },
      {
        "id": 2,
        "$dist": 0.59999996
      }
    ],
    "billing": {
      "billable_logical_bytes_queried": 1280000000,
      "billable_logical_bytes_returned": 24
    },
    "performance": {
      "cache_hit_ratio": 1,
      "cache_temperature": "hot",
      "server_total_ms": 3,
      "query_execution_ms": 2,
      "exhaustive_search_count": 2,
      "approx_namespace_size": 2,
      "last_included_write_at": "2026-11-25T09:30:00.000000000Z"
    }
  },
  "no-limit": {
    "status": "error",
    "error": "💔 rank_by queries must specify top_k or limit"
  },
  "misspelt": {
    "status": "error",
    "error": "💔 invalid rank_by field \"titel\": attribute \"titel\" not found in schema; the nearest is \"title\""
  },
  "no-namespace": {
    "status": "error",
    "error": "🤷 namespace 'novels' was not found; did you mean 'notes'?"
  },
  "plan": {
    "plan_text": "Return: id\nLimit: 10, offset 0\nRank: score, descending\n  BM25 on plot, average length 5.60: space (in 2)\nFilter: year >= 1980\nScan: 5 live documents in 3 segments"
  },
  "recall-sampled": {
    "avg_recall": 1,
    "avg_exhaustive_count": 3,
    "avg_ann_count": 3
  },
  "list": {
    "namespaces": [
      {
        "id": "movies-copy"
      },
      {
        "id": "movies-next"
      }
    ],
    "next_cursor": "eyJjb250aW51YXRpb25fdG9rZW4iOm51bGwsInN0YXJ0X2FmdGVyIjoibW92aWVzLW5leHQtdGFibGUvIn0"
  },
  "metadata": {
    "schema": {
      "id": {
        "type": "uint"
      },
      "title": {
        "type": "string",
        "filterable": true,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": false,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        },
        "glob": true
      },
      "plot": {
        "type": "string",
        "filterable": false,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": true,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        }
      },
      "year": {
        "type": "int",
        "filterable": true
      },
      "rating": {
        "type": "float",
        "filterable": true
      },
      "genres": {
        "type": "[]string",
        "filterable": true
      },
      "vector": {
        "type": "[2]f32",
        "ann": {
          "distance_metric": "cosine_distance"
        }
      }
    },
    "approx_logical_bytes": 471,
    "approx_row_count": 5,
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "updated_at": "2026-11-25T09:30:00.000000000Z",
    "last_write_at": "2026-11-25T09:30:00.000000000Z",
    "encryption": {
      "mode": "default"
    },
    "index": {
      "status": "up-to-date",
      "unindexed_rows": 5
    }
  },
  "pin": {
    "schema": {
      "id": {
        "type": "uint"
      },
      "title": {
        "type": "string",
        "filterable": true,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": false,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        },
        "glob": true
      },
      "plot": {
        "type": "string",
        "filterable": false,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": true,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        }
      },
      "year": {
        "type": "int",
        "filterable": true
      },
      "rating": {
        "type": "float",
        "filterable": true
      },
      "genres": {
        "type": "[]string",
        "filterable": true
      },
      "vector": {
        "type": "[2]f32",
        "ann": {
          "distance_metric": "cosine_distance"
        }
      }
    },
    "approx_logical_bytes": 471,
    "approx_row_count": 5,
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "updated_at": "2026-11-25T09:30:00.000000000Z",
    "last_write_at": "2026-11-25T09:30:00.000000000Z",
    "encryption": {
      "mode": "default"
    },
    "index": {
      "status": "up-to-date",
      "unindexed_rows": 5
    },
    "pinning": {
      "replicas": 1,
      "status": {
        "ready_replicas": 1,
        "replicas": 1,
        "utilization": 0,
        "updated_at": "2026-11-25T09:30:00.000000000Z"
      }
    }
  },
  "unpin": {
    "schema": {
      "id": {
        "type": "uint"
      },
      "title": {
        "type": "string",
        "filterable": true,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": false,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        },
        "glob": true
      },
      "plot": {
        "type": "string",
        "filterable": false,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": true,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        }
      },
      "year": {
        "type": "int",
        "filterable": true
      },
      "rating": {
        "type": "float",
        "filterable": true
      },
      "genres": {
        "type": "[]string",
        "filterable": true
      },
      "vector": {
        "type": "[2]f32",
        "ann": {
          "distance_metric": "cosine_distance"
        }
      }
    },
    "approx_logical_bytes": 471,
    "approx_row_count": 5,
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "updated_at": "2026-11-25T09:30:00.000000000Z",
    "last_write_at": "2026-11-25T09:30:00.000000000Z",
    "encryption": {
      "mode": "default"
    },
    "index": {
      "status": "up-to-date",
      "unindexed_rows": 5
    },
    "read_only": true
  },
  "writable": {
    "schema": {
      "id": {
        "type": "uint"
      },
      "title": {
        "type": "string",
        "filterable": true,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": false,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        },
        "glob": true
      },
      "plot": {
        "type": "string",
        "filterable": false,
        "full_text_search": {
          "k1": 1.2,
          "b": 0.75,
          "k3": 8,
          "language": "english",
          "stemming": true,
          "remove_stopwords": true,
          "ascii_folding": false,
          "case_sensitive": false,
          "max_token_length": 39,
          "tokenizer": "word_v3"
        }
      },
      "year": {
        "type": "int",
        "filterable": true
      },
      "rating": {
        "type": "float",
        "filterable": true
      },
      "genres": {
        "type": "[]string",
        "filterable": true
      },
      "vector": {
        "type": "[2]f32",
        "ann": {
          "distance_metric": "cosine_distance"
        }
      }
    },
    "approx_logical_bytes": 471,
    "approx_row_count": 5,
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "updated_at": "2026-11-25T09:30:00.000000000Z",
    "last_write_at": "2026-11-25T09:30:00.000000000Z",
    "encryption": {
      "mode": "default"
    },
    "index": {
      "status": "up-to-date",
      "unindexed_rows": 5
    }
  },
  "schema": {
    "id": {
      "type": "uint",
      "filterable": null,
      "full_text_search": null
    },
    "name": {
      "type": "string",
      "filterable": false,
      "full_text_search": {
        "k1": 1.2,
        "b": 0.75,
        "k3": 8,
        "language": "english",
        "stemming": false,
        "remove_stopwords": true,
        "ascii_folding": false,
        "case_sensitive": false,
        "max_token_length": 39,
        "tokenizer": "word_v3"
      }
    }
  },
  "declare": {
    "id": {
      "type": "uint",
      "filterable": null,
      "full_text_search": null
    },
    "name": {
      "type": "string",
      "filterable": false,
      "full_text_search": {
        "k1": 1.2,
        "b": 0.75,
        "k3": 8,
        "language": "english",
        "stemming": false,
        "remove_stopwords": true,
        "ascii_folding": false,
        "case_sensitive": false,
        "max_token_length": 39,
        "tokenizer": "word_v3"
      },
      "fuzzy": true
    },
    "born": {
      "type": "datetime",
      "filterable": true,
      "full_text_search": null
    }
  },
  "warm-hint": {
    "status": "ACCEPTED",
    "message": "cache warm hint accepted"
  },
  "warm": {
    "status": "OK"
  },
  "purge": {
    "status": "OK"
  },
  "export": {
    "ids": [
      1,
      2
    ],
    "vectors": [
      null,
      null
    ],
    "attributes": {
      "name": [
        "Ada",
        "Grace"
      ]
    },
    "next_cursor": null
  },
  "checkpoint": {
    "name": "before-migration",
    "generation": 1,
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "expires_at": "2026-11-26T09:30:00.000000000Z"
  },
  "checkpoints": {
    "checkpoints": [
      {
        "name": "before-migration",
        "generation": 1,
        "created_at": "2026-11-25T09:30:00.000000000Z",
        "expires_at": "2026-11-26T09:30:00.000000000Z"
      }
    ]
  },
  "restore-checkpoint": {
    "namespace": "movies-before",
    "documents": 5
  },
  "delete-checkpoint": {
    "status": "OK"
  },
  "backup": {
    "id": "5f3a91c7e2d4",
    "namespace": "passages",
    "generation": 1,
    "manifest_version": 0,
    "sequence": 1,
    "has_import": false,
    "expires_at": "2026-11-26T09:30:00.000000000Z",
    "objects": [
      {
        "key": "namespaces/movies-table/0000000001/wal/00000000000000000001",
        "bytes": 1234,
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
      }
    ]
  },
  "backup-end": {
    "status": "OK"
  },
  "restore-unknown": {
    "status": "error",
    "error": "🤷 there is no restore '000000000000': it was ended, or nobody went on with it for an hour, or the server was started again; begin a new one"
  },
  "key": {
    "key": "tpuf_3kTqWb0YcXnV7LrPzGm5JdHs9AeUfQxR",
    "id": "4c1e8d0a97b25f36",
    "name": "shop",
    "last_four": "fQxR",
    "actions": [
      "read"
    ],
    "namespaces": [
      "movies*"
    ],
    "created_at": "2026-11-25T09:30:00.000000000Z",
    "last_used_at": null,
    "expires_at": "2026-11-26T09:30:00.000000000Z"
  },
  "keys": {
    "keys": [
      {
        "id": "4c1e8d0a97b25f36",
        "name": "shop",
        "last_four": "fQxR",
        "actions": [
          "read"
        ],
        "namespaces": [
          "movies*"
        ],
        "created_at": "2026-11-25T09:30:00.000000000Z",
        "last_used_at": null,
        "expires_at": "2026-11-26T09:30:00.000000000Z"
      }
    ]
  },
  "caller": {
    "kind": "key",
    "name": "--api-key",
    "last_four": "",
    "actions": [
      "read",
      "write",
      "list",
      "admin"
    ],
    "namespaces": [
      "*"
    ],
    "expires_at": null
  },
  "token": {
    "token": "tput_eyJ2IjoxfQ.3q2-7w",
    "namespace": "movies",
    "expires_at": "2026-11-26T09:30:00.000000000Z"
  },
  "revoke": {
    "status": "OK",
    "id": "4c1e8d0a97b25f36",
    "name": "shop"
  },
  "delete-namespace": {
    "status": "OK"
  },
  "greeting": {
    "status": "OK",
    "service": "trawl",
    "version": "0.2.0"
  },
  "alive": {
    "status": "OK"
  },
  "ready": {
    "status": "OK"
  }
};
