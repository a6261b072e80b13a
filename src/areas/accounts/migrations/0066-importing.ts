/** Accounts that an import has made are held until they are activated. */
export const sql = `
DROP INDEX accounts_status;
ALTER TABLE accounts DROP COLUMN status;
ALTER TABLE accounts ADD COLUMN importing_since INTEGER;
ALTER TABLE accounts ADD COLUMN status TEXT GENERATED ALWAYS AS (
  CASE WHEN terminating THEN 'terminating' WHEN importing_since IS NOT NULL AND provisioned THEN 'importing'
    WHEN suspended_at IS NOT NULL THEN 'suspended' WHEN provisioned THEN 'active' ELSE 'provisioning' END) VIRTUAL;
CREATE INDEX accounts_status ON accounts (status, id);
`
