/** Set by the panel for each program. */
const ofThePanel = ['PORT', 'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'PANEL_[A-Za-z0-9_]*']

/** Read by the shell that starts a program, or by the loader: ld.so(8) and gconv. */
const ofTheLoader = [
  ...['IFS', 'BASH_ENV', 'GCONV_PATH', 'GLIBC_TUNABLES'],
  ...['LD_ASSUME_KERNEL', 'LD_AUDIT', 'LD_BIND_NOT', 'LD_BIND_NOW', 'LD_CONFIG', 'LD_DEBUG', 'LD_DEBUG_OUTPUT'],
  ...['LD_DYNAMIC_WEAK', 'LD_HWCAP_MASK', 'LD_LIBRARY_PATH', 'LD_ORIGIN_PATH'],
  ...['LD_POINTER_GUARD', 'LD_PREFER_MAP_32BIT_EXEC', 'LD_PRELOAD', 'LD_PROFILE'],
  ...['LD_PROFILE_OUTPUT', 'LD_SHOW_AUXV', 'LD_TRACE_LOADED_OBJECTS', 'LD_TRACE_PRELINKING', 'LD_USE_LOAD_BIAS'],
  ...['LD_VERBOSE', 'LD_WARN'],
]

/** The names that an app's variables can have: what the panel and the loader own is reserved. */
export const envName = new RegExp(`^(?!(?:${[...ofThePanel, ...ofTheLoader].join('|')})$)[A-Za-z_][A-Za-z0-9_]{0,127}$`)
