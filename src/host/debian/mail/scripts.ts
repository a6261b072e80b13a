import { chmodSync, chownSync, existsSync, rmSync, statSync } from 'node:fs'
import { checkOncePerShape } from '../check-cache.ts'
import type { Run } from '../commands.ts'

const script = /^etc\/panel\/mail\/sieve\.d\/[^/]+\/[^/]+\.sieve$/
const sievec = '/usr/bin/sievec'
const compiledOf = (path: string): string => path.replace(/\.sieve$/, '.svbin')

/** Refuses a script that does not compile. */
export const scriptCheck = (run: Run) =>
  checkOncePerShape(
    ({ file }) => file.content,
    async ({ staged }) => {
      await run(sievec, [staged, `${staged}.svbin`], { stage: 'precheck' })
      rmSync(`${staged}.svbin`, { force: true })
    },
  )

export const isScript = (path: string): boolean => script.test(path)

/** Compiles changed scripts, as their readers may not write beside them. Removes what belongs to deleted ones. */
export async function compileScripts(run: Run, paths: readonly string[]): Promise<void> {
  for (const path of paths.filter((one) => script.test(one)).map((one) => `/${one}`)) {
    if (existsSync(path)) await compile(run, path)
    else rmSync(compiledOf(path), { force: true })
  }
}

async function compile(run: Run, path: string): Promise<void> {
  await run(sievec, [path, compiledOf(path)])
  if (!existsSync(compiledOf(path))) return
  chownSync(compiledOf(path), 0, statSync(path).gid)
  chmodSync(compiledOf(path), 0o640)
}
