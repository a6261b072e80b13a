import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { data, note } from '../terminal.ts'
import { scriptOf } from './completion.ts'

const dataHome = (): string => process.env['XDG_DATA_HOME'] || join(homedir(), '.local/share')
const configHome = (): string => process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config')

interface CompletionFile {
  readonly file: string
  /** What else is needed for the shell to find it. */
  readonly advice: string
}

const places: Readonly<Record<string, () => CompletionFile>> = {
  bash: () => ({
    file: join(dataHome(), 'bash-completion/completions/panel'),
    advice: existsSync('/usr/share/bash-completion/bash_completion')
      ? 'it works in the next bash that you open'
      : 'install the package bash-completion, or add to ~/.bashrc: source <(panel completion bash)',
  }),
  zsh: () => {
    const file = join(dataHome(), 'zsh/site-functions/_panel')
    return { file, advice: `zsh looks there once ~/.zshrc says, before compinit: fpath=(${dirname(file)} $fpath)` }
  },
  fish: () => ({
    file: join(configHome(), 'fish/completions/panel.fish'),
    advice: 'it works in the next fish that you open',
  }),
}

/** Puts the completion script where the user's shell looks for it, and says what it did. */
export async function run(invocation: Invocation): Promise<void> {
  const shell = invocation.positionals[0] ?? basename(process.env['SHELL'] ?? '')
  const place = places[shell]?.()
  if (!place)
    throw usage(
      `completion cannot be installed for the shell ${shell || 'of $SHELL'}`,
      `one of ${Object.keys(places).join(', ')}`,
    )
  const written = put(place.file, scriptOf(shell))
  note(`${place.file} ${written ? 'was written' : 'is up to date'}; ${place.advice}`)
  const { output, quiet } = invocation.globals
  if (quiet || output === 'table' || output === 'name') return data(`${place.file}\n`)
  return printDocument(invocation.globals, { shell, file: place.file, written })
}

/** Returns whether anything had to be written. */
function put(file: string, text: string): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
  return true
}
