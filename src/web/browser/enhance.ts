type Enhancer = (root: ParentNode) => void

const enhancers: Enhancer[] = []

/** Runs on the page, and on each part added later. */
export function whenVisible(enhancer: Enhancer): void {
  enhancers.push(enhancer)
  enhancer(document)
}

export const enhance: Enhancer = (root) => {
  for (const enhancer of enhancers) enhancer(root)
}

/** Delegates events from elements, including those added later. */
export function on<E extends Element>(type: string, selector: string, act: (element: E, event: Event) => void): void {
  document.addEventListener(type, (event) => {
    const element = (event.target as Element | null)?.closest?.<E>(selector)
    if (element) act(element, event)
  })
}

/** Debounces: acts when that long has passed since the last call, with its arguments. */
export function afterPause<Args extends unknown[]>(pause: number, act: (...args: Args) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return (...args: Args): void => {
    clearTimeout(timer)
    timer = setTimeout(act, pause, ...args)
  }
}
