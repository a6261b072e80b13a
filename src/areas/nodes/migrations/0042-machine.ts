/** What the agent of a node drives, which is known while it is away too, and what its machine is called. */
export const sql = `
ALTER TABLE nodes ADD COLUMN driver TEXT;
ALTER TABLE nodes ADD COLUMN hostname TEXT;
`
