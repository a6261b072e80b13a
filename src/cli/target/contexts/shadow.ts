import { note } from '../../terminal.ts'

/** Warns if the environment overrides the current context. */
export function warnIfOverridden(): void {
  const variable = ['PANEL_CONTEXT', 'PANEL_URL', 'PANEL_DATA_DIR'].find((name) => process.env[name])
  if (variable)
    note(`warning: ${variable} is set and overrides the current context; to use the context: unset ${variable}`)
}
