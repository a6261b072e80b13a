import { execFile } from 'node:child_process'

const swapper = `
const fs = require('node:fs')
const [home, outside, count] = process.argv.slice(1)
process.chdir(home)
fs.symlinkSync(outside, 'link')
for (let swaps = 0; swaps < Number(count); swaps++) {
  try { fs.renameSync('d', 'real'); fs.renameSync('link', 'd') } catch {}
  try { fs.renameSync('d', 'link'); fs.renameSync('real', 'd') } catch {}
}
`

/** Swaps the directory `d` for a link out of its parent, in another process; resolves when that is done. */
export const swapping = (home: string, outside: string, count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const words = ['-e', swapper, home, outside, String(count)]
    execFile(process.execPath, words, (error) => (error ? reject(error) : resolve()))
  })
