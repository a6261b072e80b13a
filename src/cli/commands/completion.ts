import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../shared/package-root.ts'
import type { Invocation } from '../invocation.ts'
import { data } from '../terminal.ts'
import { firstArgument } from './argument.ts'

/** The completion file of each shell. */
const files: Readonly<Record<string, string>> = {
  bash: 'panel.bash',
  zsh: '_panel',
  fish: 'panel.fish',
  powershell: 'panel.ps1',
}

/** The completion script of a shell. It is the same in every version. */
export const scriptOf = (shell: string): string =>
  readFileSync(join(packageRoot(), 'completions', files[shell] ?? ''), 'utf8')

/** Prints the completion script of a shell. */
export async function run(invocation: Invocation): Promise<void> {
  data(scriptOf(firstArgument(invocation)))
}
