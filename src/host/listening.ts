import { connect } from 'node:net'

/** Whether a process listens on a socket; one that was left behind does not answer. */
export const someoneListens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
