import { readFileSync } from 'node:fs'
import { openStore } from '../../src/store/open.ts'

/** Opens a store, and kills itself in a step on the way: the first, or the nth. */
const [file = '', migrations = '', after = ''] = process.argv.slice(2)
let left = Number(after)
openStore(file, {
  migrations: JSON.parse(readFileSync(migrations, 'utf8')),
  onFailPoint: (point) => {
    if (point === 'mid-migration' && left-- === 0) process.kill(process.pid, 'SIGKILL')
  },
})
