/** Limits of a package that are not unlimited if it does not set them: what applies instead. */
export const limitDefaults = {
  max_apps: 50,
  max_backups: 100,
  php_memory_max_mb: 512,
  php_execution_max_s: 300,
  php_upload_max_mb: 1024,
} as const

/** What applies if a limit of that name is not set; undefined: nothing, it is unlimited. */
export const limitDefaultOf = (field: string): number | undefined =>
  Object.hasOwn(limitDefaults, field) ? limitDefaults[field as keyof typeof limitDefaults] : undefined
