# A test program for each floor; part of tests/CMakeLists.txt.

adoc_unit_test(util
  unit/util/buffer_test.cpp
  unit/util/bytes_test.cpp
  unit/util/checksum_test.cpp
  unit/util/content_hasher_test.cpp
  unit/util/descriptor_budget_test.cpp
  unit/util/live_time_test.cpp
  unit/util/descriptor_limit_test.cpp
  unit/util/error_test.cpp
  unit/util/guarded_test.cpp
  unit/util/safe_name_test.cpp
  unit/util/sandbox_test.cpp
  unit/util/user_directory_test.cpp
)
target_link_libraries(unit_util PRIVATE PkgConfig::seccomp)
adoc_unit_test(wire
  support/random_records.cpp
  unit/wire/batch_window_test.cpp
  unit/wire/bounds_test.cpp
  unit/wire/far_side_test.cpp
  unit/wire/frame_test.cpp
  unit/wire/hello_test.cpp
  unit/wire/manifest_test.cpp
  unit/wire/metadata_test.cpp
  unit/wire/ranges_test.cpp
  unit/wire/record_test.cpp
  unit/wire/share_test.cpp
)
adoc_unit_test(codec
  unit/codec/advice_test.cpp
  unit/codec/apart_test.cpp
  unit/codec/bzip3_test.cpp
  unit/codec/cut_test.cpp
  unit/codec/hostile_input_test.cpp
  unit/codec/ladder_test.cpp
  unit/codec/filter_test.cpp
  unit/codec/sample_stats_test.cpp
  unit/codec/lossy_test.cpp
  unit/codec/measure_test.cpp
  unit/codec/prefix_test.cpp
  unit/codec/round_trip_test.cpp
)

adoc_unit_test(control
  support/sim.cpp
  support/sim_bound.cpp
  support/sim_data.cpp
  support/sim_workers.cpp
  support/oracle.cpp
  support/score.cpp
  support/worlds.cpp
  unit/control/adoc_policy_test.cpp
  unit/control/auto_policy_test.cpp
  unit/control/carried_link_test.cpp
  unit/control/data_model_test.cpp
  unit/control/path_metrics_test.cpp
  unit/control/gaussian_test.cpp
  unit/control/later_policy_test.cpp
  unit/control/contention_test.cpp
  unit/control/level_prior_test.cpp
  unit/control/link_model_test.cpp
  unit/control/make_policy_test.cpp
  unit/control/price_test.cpp
  unit/control/rate_belief_test.cpp
  unit/control/raw_patience_test.cpp
  unit/control/receiver_model_test.cpp
  unit/control/score_test.cpp
  unit/control/sim_test.cpp
)
if(TARGET unit_control)
  target_compile_definitions(unit_control PRIVATE
    ADOC_LEVELS_CSV="${CMAKE_CURRENT_SOURCE_DIR}/unit/control/data/levels.csv")
endif()
adoc_unit_test(io
  support/path_model.cpp
  support/scripted_peer.cpp
  unit/io/channel_stream_test.cpp
  unit/io/channel_window_test.cpp
  unit/io/channel_wire_test.cpp
  unit/io/congestion_test.cpp
  unit/io/connect_test.cpp
  unit/io/endpoint_test.cpp
  unit/io/gate_test.cpp
  unit/io/key_test.cpp
  unit/io/peer_key_test.cpp
  unit/io/rate_limit_test.cpp
  unit/io/record_pipe_test.cpp
  unit/io/record_plan_test.cpp
  unit/io/tcp_stream_test.cpp
  unit/io/tls_stream_test.cpp
)

target_compile_definitions(unit_io PRIVATE
  ADOC_CHANNEL_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden/v1-channel")

adoc_unit_test(pipeline
  support/made_up_frames.cpp
  support/scripted_peer.cpp
  unit/pipeline/block_assembler_test.cpp
  unit/pipeline/block_emitter_test.cpp
  unit/pipeline/bounded_queue_test.cpp
  unit/pipeline/communication_stage_test.cpp
  unit/pipeline/compress_stage_test.cpp
  unit/pipeline/crossing_test.cpp
  unit/pipeline/frame_reader_test.cpp
  unit/pipeline/lane_queue_test.cpp
  unit/pipeline/filter_choice_test.cpp
  unit/pipeline/filtered_block_test.cpp
  unit/pipeline/match_test.cpp
  unit/pipeline/memory_shares_test.cpp
  unit/pipeline/scheduler_test.cpp
  unit/pipeline/starving_test.cpp
  unit/pipeline/stream_bundle_test.cpp
  unit/pipeline/stages_test.cpp
  unit/pipeline/threads_test.cpp
  unit/pipeline/unsent_limit_test.cpp
)

adoc_unit_test(source
  unit/source/changing_tree_test.cpp
  unit/source/earlier_sources_test.cpp
  unit/source/filter_against_rsync_test.cpp
  unit/source/filter_pattern_test.cpp
  unit/source/content_reader_test.cpp
  unit/source/filter_test.cpp
  support/made_up_frames.cpp
  unit/source/part_hasher_test.cpp
  unit/source/sample_test.cpp
  unit/source/listed_names_test.cpp
  unit/source/walker_test.cpp
)
adoc_unit_test(destination
  support/made_up_frames.cpp
  unit/destination/intake_test.cpp
  unit/destination/journal_test.cpp
  unit/destination/output_test.cpp
  unit/destination/part_test.cpp
  unit/destination/remove_tree_test.cpp
  unit/destination/partial_test.cpp
  unit/destination/race_test.cpp
  unit/destination/recorded_sink_test.cpp
  unit/destination/same_time_test.cpp
  unit/destination/second_look_test.cpp
)
adoc_unit_test(transfer
  support/made_up_frames.cpp
  unit/transfer/backoff_test.cpp
  unit/transfer/crossing_file_test.cpp
  unit/transfer/descriptor_plan_test.cpp
  unit/transfer/path_metrics_store_test.cpp
  unit/transfer/farewell_test.cpp
  unit/transfer/lifeline_test.cpp
  unit/transfer/measure_levels_test.cpp
  unit/transfer/recording_test.cpp
  unit/transfer/stream_count_test.cpp
  unit/transfer/transfer_totals_test.cpp
  unit/transfer/validate_test.cpp
)
if(TARGET unit_transfer)
  target_compile_definitions(unit_transfer PRIVATE
    ADOC_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden/v1")
endif()

adoc_unit_test(cli
  unit/cli/ending_test.cpp
  unit/cli/explain_test.cpp
  unit/cli/hint_test.cpp
  unit/cli/level_table_test.cpp
  unit/cli/messages_test.cpp
  unit/cli/nearest_word_test.cpp
  unit/cli/operands_test.cpp
  unit/cli/progress_test.cpp
  unit/cli/cp_options_test.cpp
  unit/cli/cp_place_test.cpp
  unit/cli/recv_options_test.cpp
  unit/cli/report_page_test.cpp
  unit/cli/report_test.cpp
  unit/cli/send_options_test.cpp
  unit/cli/signals_test.cpp
  unit/cli/trace_test.cpp
  unit/cli/unknown_option_test.cpp
  unit/cli/values_test.cpp
  unit/cli/words_test.cpp
)
target_link_libraries(unit_cli PRIVATE adoc_cli nlohmann_json::nlohmann_json)

adoc_unit_test(golden
  golden/golden_test.cpp
  support/recode.cpp
)
if(TARGET unit_golden)
  target_compile_definitions(unit_golden PRIVATE
    ADOC_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden/v1")
endif()

# The library for middleware, by its C functions.
adoc_unit_test(messages
  unit/messages/error_test.cpp
  unit/messages/file_test.cpp
  unit/messages/non_blocking_test.cpp
  unit/messages/wire_test.cpp
  unit/messages/write_read_test.cpp
)
target_compile_definitions(unit_messages PRIVATE
  ADOC_MESSAGES_GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/golden/v1-messages/messages.bin")
