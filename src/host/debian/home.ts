import { spawn } from 'node:child_process'
import { HostError } from '../error.ts'
import type { Plan } from '../install/plan.ts'

/** What is made in a home, by paths below it. */
export interface HomeWork {
  readonly home: string
  readonly moves: readonly { readonly from: string; readonly to: string }[]
  readonly dirs: readonly { readonly path: string; readonly mode: number }[]
  readonly files: readonly { readonly path: string; readonly mode: number; readonly content: string }[]
}

/** What a plan does in a home, where it does anything. */
export function homeWork(username: string, { moves, makes, changes }: Plan): HomeWork | undefined {
  const prefix = `home/${username}/`
  const isInside = (path: string) => path.startsWith(prefix)
  const inside = (path: string) => path.slice(prefix.length)
  const work = {
    home: `/home/${username}`,
    moves: moves.filter(({ to }) => isInside(to)).map(({ from, to }) => ({ from: inside(from), to: inside(to) })),
    dirs: makes.filter(({ dir }) => isInside(dir.path)).map(({ dir }) => ({ path: inside(dir.path), mode: dir.mode })),
    files: changes.flatMap(({ path, write }) =>
      write && isInside(path) ? [{ path: inside(path), mode: write.mode, content: write.content }] : [],
    ),
  }
  return work.moves.length + work.dirs.length + work.files.length === 0 ? undefined : work
}

/** Has a process with the rights of the home's owner do it: what a link there leads to is what the owner may do anyway. */
export function workAs(uid: number, work: HomeWork): Promise<void> {
  const words = [process.argv[1]!, 'host', 'agent', '--home']
  const child = spawn(process.execPath, words, {
    uid,
    gid: uid,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-1000)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(work))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new HostError('stage', said.trim() || 'The home could not be filled.'))
    })
  })
}
