import { readFileSync } from 'node:fs'
import { configOf } from '../../parts/apache/config.ts'
import { userNamed } from '../names.ts'
import type { Workers } from '../worker/pool.ts'

/** The document roots of an account's Apache, below its home. */
export const rootsIn = (config: string, username: string): string[] => [
  ...new Set(
    [...config.matchAll(/^ {2}DocumentRoot "(.+)"$/gm)].flatMap(([, root]) =>
      root!.startsWith(`/home/${username}/`) ? [root!.slice(`/home/${username}/`.length)] : [],
    ),
  ),
]

/** Has the account itself pass on to PHP what its `.htaccess` files set. */
export async function followPhpSettings(workers: Workers, username: string): Promise<void> {
  const user = userNamed(username)
  if (!user) return
  for (const root of rootsIn(readFileSync(`/${configOf(username)}`, 'utf8'), username)) {
    const input = { root: Buffer.from(root).toString('base64'), apply: true }
    await workers.ask({ username, uid: user.uid }, 'act', { verb: 'userIni', input }).done()
  }
}
