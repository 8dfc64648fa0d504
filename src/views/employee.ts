import { columnsFor } from '../output/columns.ts'
import type { Employee } from '../api/schemas.ts'
import { fullName } from '../api/names.ts'
import type { View } from '../output/result.ts'

export const employeeView: View<Employee> = {
  columns: columnsFor(
    'id',
    'name',
    'kind:state',
    'position',
    'access:state',
    'status:state',
    'channels',
  ),
  computed: { name: fullName },
  id: ({ id }) => id,
}
