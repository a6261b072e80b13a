import type { Plan } from '../install/plan.ts'

/** Work in a home, by relative paths. */
export interface HomeWork {
  readonly home: string
  readonly moves: readonly { readonly from: string; readonly to: string }[]
  readonly dirs: readonly { readonly path: string; readonly mode: number }[]
  readonly files: readonly { readonly path: string; readonly mode: number; readonly content: string }[]
}

/** A plan's work in a home, if any. */
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
