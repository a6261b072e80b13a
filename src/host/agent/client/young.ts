import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { readonly type: 'minor' }) => void

let collect: Collect | undefined

/** V8 exposes this function only in contexts created while the flag is set. */
function exposed(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Frees short-lived buffers: they lie outside V8's heap, which would let 32 MB of them accumulate. */
export function collectYoung(): void {
  collect ??= exposed()
  collect({ type: 'minor' })
}
