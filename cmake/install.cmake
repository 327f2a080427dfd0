# What `cmake --install` copies, for find_package(talus).

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
set_target_properties(talus_common PROPERTIES EXPORT_NAME common)
set_target_properties(talus_narrowphase PROPERTIES EXPORT_NAME narrowphase)
set_target_properties(talus_broadphase PROPERTIES EXPORT_NAME broadphase)
set_target_properties(talus_engine PROPERTIES EXPORT_NAME talus OUTPUT_NAME talus)
set_target_properties(talus_profiling PROPERTIES EXPORT_NAME profiling)
install(TARGETS talus_common talus_narrowphase talus_broadphase talus_engine talus_profiling EXPORT talus-targets
  FILE_SET HEADERS)
install(EXPORT talus-targets NAMESPACE talus:: DESTINATION ${package_dir})
configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/talus-config.cmake ${PROJECT_BINARY_DIR}/talus-config-version.cmake
  DESTINATION ${package_dir})
