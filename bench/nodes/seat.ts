import { createServer } from 'node:net'
import { Network } from './network.ts'

/** Where a server of the fleet is, and the network by which nodes reach it. */
export interface Seat {
  readonly ports: readonly string[]
  readonly nodePort: number
  readonly network: Network
  /** As nodes are told of it. */
  readonly address: string
}

export async function newSeat(host: string): Promise<Seat> {
  const [port, nodePort] = [await freePort(), await freePort()]
  const network = new Network(nodePort)
  const address = `${host}:${await network.open(host)}`
  return { ports: ['--port', String(port), '--node-port', String(nodePort)], nodePort, network, address }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
