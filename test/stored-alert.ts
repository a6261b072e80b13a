import type { TestPanel } from './harness.ts'

/** An alert about an account, or about the server. */
export async function alertOf(panel: TestPanel, account?: string, owner?: string): Promise<string> {
  const { sqlite } = panel.store
  const id = panel.panel.runtime.id()
  await panel.store.change(() =>
    sqlite
      .prepare(
        `INSERT INTO alerts (id, kind, severity, object, object_id, name, detail, since, account_id, owner_id, username,
           state, created_at)
         SELECT @id, 'webhook-off', 'warn', 'webhook', @id, 'hooks.example', 'It is off.', 1, accounts.id,
           coalesce(@owner, accounts.owner_id), accounts.username, 'open', 1
         FROM (SELECT 1) LEFT JOIN accounts ON accounts.id = @account`,
      )
      .run({ id, account: account ?? null, owner: owner ?? null }),
  )
  return id
}
