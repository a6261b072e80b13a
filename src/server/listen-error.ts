type Where = { readonly host: string; readonly port: number }

const sentences: Readonly<Record<string, (where: Where) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} on ${host} is in use. Stop the program that listens there, or choose another port with --port.`,
  EACCES: ({ port }) =>
    `Port ${port} is reserved for root. Start with sudo, or choose a port from 1024 up with --port.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine. Choose one of its addresses with --host.`,
  ENOTFOUND: ({ host }) => `The name ${host} has no address. Choose an address of this machine with --host.`,
}

/** Why a server cannot listen, and what to type. */
export function listenError(error: unknown, where: Where): unknown {
  const sentence = sentences[(error as NodeJS.ErrnoException).code ?? '']
  return sentence ? new Error(sentence(where), { cause: error }) : error
}
