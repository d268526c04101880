/** One numbered change of the schema; never edited once released. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}
