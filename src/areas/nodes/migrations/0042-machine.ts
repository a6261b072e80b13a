/** A node's driver and host name, stored so that they are known while it is away. */
export const sql = `
ALTER TABLE nodes ADD COLUMN driver TEXT;
ALTER TABLE nodes ADD COLUMN hostname TEXT;
`
