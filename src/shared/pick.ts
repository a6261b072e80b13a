/** These fields of a row, and no others; those that it lacks are left out. */
export const pick = <Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> =>
  Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : []))) as Pick<Row, Name>
