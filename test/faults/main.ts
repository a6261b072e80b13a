import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../src/server/serve.ts'
import { readyKeys } from '../ready-keys.ts'

/** Where the process is to kill itself: a point, and how often it is passed before. */
export interface Kill {
  readonly point: string
  readonly after: number
  /** At a point of the host's agent: who is killed; the server by default. */
  readonly victim?: 'server' | 'agent'
}

const [dataDir = '', atStart = 'null', agent = '[]'] = process.argv.slice(2)
let kill: Kill | null = JSON.parse(atStart)

const reached = (point: string): void => {
  if (!kill || !point.startsWith(kill.point)) return
  if (kill.after === 0) process.kill(process.pid, 'SIGKILL')
  kill = { ...kill, after: kill.after - 1 }
}

process.on('message', (order: Kill | 'crash') => {
  if (order === 'crash') throw new Error('a fault that nobody handles')
  kill = order
  writeFileSync(join(dataDir, 'kill.json'), JSON.stringify(order))
  process.send?.('armed')
})

serve({
  dataDir,
  host: '127.0.0.1',
  port: 0,
  hostname: 'localhost',
  noTls: true,
  agent: JSON.parse(agent),
  rsaKeys: readyKeys(),
  failPoints: { store: reached },
})
  .catch((error: Error) => {
    process.stderr.write(`error: ${error.message}\n`)
    process.exitCode = 1
  })
  .finally(() => process.channel?.unref())
