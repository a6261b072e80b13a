import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { readonly type: 'minor' }) => void

let collect: Collect | undefined

/** V8 has this function in contexts alone that are made while it is told to. */
function exposed(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Frees buffers that were used for moments: they lie outside of V8's heap, which would let 32 MB of them come together. */
export function collectYoung(): void {
  collect ??= exposed()
  collect({ type: 'minor' })
}
