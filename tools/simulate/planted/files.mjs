/** What is read from files: ids, tables, workbooks; configuration, plans and policies. */
export const files = []
