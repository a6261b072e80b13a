import { areas } from '../../src/areas/index.ts'
import { storePartsOf } from '../../src/runtime/areas/store-parts.ts'
import { rotateSecret } from '../../src/runtime/security/rotate.ts'

/** Rotates the key of a data directory, and kills itself at a point. */
const [dataDir = '', point] = process.argv.slice(2)
const onFailPoint = (reached: string): void => {
  if (reached === point) process.kill(process.pid, 'SIGKILL')
}
await rotateSecret({ dataDir, parts: storePartsOf(areas), onFailPoint })
