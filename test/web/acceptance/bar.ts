import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { textOf } from '../visitor.ts'

/** The command at the bottom of a page, and the scope of the token that it links to. */
export interface Bar {
  readonly line: string
  readonly needs: string
  readonly scope: string | undefined
}

/** Text of markup as copied by people: nothing is trimmed. */
const copied = (html: string): string =>
  html.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]!,
  )

export function barOf(body: string): Bar {
  const [, line = ''] = /id="say-line"[^>]*>([\s\S]*?)<\/bdi>/.exec(body) ?? []
  const [, needs = ''] = /class="needs">([\s\S]*?)<\/span>/.exec(body) ?? []
  const scope = /scopes=([^&"]+)/.exec(needs)?.[1]
  return { line: copied(line), needs: textOf(needs), scope: scope && decodeURIComponent(scope) }
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a script in a real shell, which may call back to this process. */
export async function shell(
  script: string,
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn('sh', ['-s'], { ...(cwd && { cwd }), env: { PATH: process.env['PATH'] ?? '', ...env } })
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  child.stdin.end(script)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

/** The words of lines that begin with this command, as a real shell reads them. */
export async function wordsOf(command: string, lines: readonly string[]): Promise<string[][]> {
  const { out } = await shell(`${command}() { printf '%s\\0' "$@"; printf '\\001\\0'; }\n${lines.join('\n')}\n`)
  return out
    .split('\u0001\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1))
}
