import { request } from 'node:https'
import { isIP } from 'node:net'

export interface Visit {
  readonly address: string
  readonly port: number
  readonly host: string
  /** With its query. */
  readonly path: string
  /** The rest of a longer body is not read. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface Visited {
  readonly status: number
  readonly location?: string | undefined
  readonly type?: string | undefined
  readonly body: Buffer
}

const MAX_HEADER_BYTES = 64 * 1024

/**
 * Gets a page of a host at an address, wherever its name leads, without checking the certificate: what it answers is
 * only looked at. No redirect is followed and nothing is unpacked.
 */
export const visit = ({ address, port, host, path, maxBytes, signal }: Visit): Promise<Visited> =>
  new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: address, port, path, method: 'GET', agent: false, signal, maxHeaderSize: MAX_HEADER_BYTES },
      ...{ rejectUnauthorized: false, servername: isIP(host) ? '' : host },
      headers: { Host: host, 'Accept-Encoding': 'identity', Accept: '*/*', 'User-Agent': 'panel' },
    })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      const pieces: Buffer[] = []
      let bytes = 0
      const { location, 'content-type': type } = answer.headers
      const end = () => {
        resolve({ status: answer.statusCode ?? 0, location, type, body: Buffer.concat(pieces).subarray(0, maxBytes) })
        sent.destroy()
      }
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        bytes += piece.length
        if (bytes >= maxBytes) end()
      })
      answer.on('end', end)
      answer.on('error', reject)
    })
    sent.end()
  })
