import { connect, type Socket } from 'node:net'

const REPLY_TIMEOUT_MS = 10_000

/** What to send, if anything, and the expected answer. */
export type Turn = readonly [say: string | undefined, answered: RegExp]

/** Talks to a service on this machine, line by line; throws an answer that is not the expected one. */
export function talk(port: number, turns: readonly Turn[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.setTimeout(REPLY_TIMEOUT_MS, () => fail(new Error(`Nothing answers on port ${port}.`)))
    socket.once('error', ({ message }) => fail(new Error(`Port ${port} cannot be reached: ${message}`)))
    socket.once('close', () => reject(new Error(`The service on port ${port} ended the connection.`)))
    converse(socket, turns, resolve, fail)
  })
}

function converse(socket: Socket, turns: readonly Turn[], done: () => void, fail: (error: Error) => void): void {
  const left = [...turns]
  let heard = ''
  const say = (): void => {
    const words = left[0]?.[0]
    if (words !== undefined) socket.write(`${words}\r\n`)
  }
  socket.on('data', (text: string) => {
    heard += text
    const lines = heard.split('\r\n')
    heard = lines.pop() ?? ''
    for (const line of lines.filter(isLast)) {
      const turn = left.shift()
      if (!turn?.[1].test(line)) return fail(new Error(line.slice(0, 200)))
      if (left.length > 0) say()
      else done()
    }
    if (left.length === 0) socket.destroy()
  })
}

/** Ignores continuation lines: SMTP has a hyphen after the code, IMAP an asterisk at the start. */
const isLast = (line: string): boolean => !/^\d{3}-/.test(line) && !/^\* (?!OK \[)/.test(line)
