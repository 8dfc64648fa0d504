/** The operation that a request names. */
import { operations, type OperationName } from '../api/operations.ts'

/** `company.ts` has a method of the same name for each operation. */
export const operationNames = Object.keys(operations) as OperationName[]

const routes = operationNames.map((name) => {
  const { method, path } = operations[name]
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`)
  return { name, method, pattern }
})

/**
 * The operation of a request, and the id in its path, not checked yet; undefined if there is no such operation. `path`: as it
 * was sent, not normalized as by `URL`, so that `/v1/lists/../contacts` is none.
 */
export function findRoute(method: string | undefined, path: string) {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null
    if (match !== null) return { name: route.name, id: match[1] }
  }
  return undefined
}
