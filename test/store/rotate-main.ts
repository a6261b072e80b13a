import { areas } from '../../src/areas/index.ts'
import { rotateSecret } from '../../src/runtime/rotate.ts'
import { storePartsOf } from '../../src/runtime/stored.ts'

/** Rotates the key of a data directory, and kills itself at a point. */
const [dataDir = '', point] = process.argv.slice(2)
const faults = (reached: string): void => {
  if (reached === point) process.kill(process.pid, 'SIGKILL')
}
await rotateSecret({ dataDir, parts: storePartsOf(areas), faults })
