/** Drawn for this product: 16 px, 1.5 px strokes. Each accompanies a word. */
export const icons = {
  brand:
    'M2.75 3.5h10.5a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM4.5 6.5 6.5 8.5l-2 2M8.5 10.5h3',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  menu: 'M2 4.5h12M2 8h12M2 11.5h12',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  upload: 'M8 10.5v-8M4.75 5.75 8 2.5l3.25 3.25M2.5 10.5v3h11v-3',
  out: 'M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5',
} as const

export type IconName = keyof typeof icons

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true" width="16" height="16">
    <use href={`${iconFile.address}#${name}`} />
  </svg>
)

/** The address of the icon file; the assets set it. */
export const iconFile = { address: '/assets/icons.svg' }

export const iconSheet = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg">${Object.entries(icons)
    .map(
      ([name, path]) =>
        `<symbol id="${name}" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></symbol>`,
    )
    .join('')}</svg>`

/** The favicon. */
export const siteIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1b1a17"/><path d="M4 6l2 2-2 2M8 10.5h4" fill="none" stroke="#8fdcae" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`
