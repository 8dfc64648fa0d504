import type { Employee } from '../api/schemas.ts'
import { fullName } from '../api/names.ts'
import type { View } from '../output/result.ts'

export const employeeView: View<Employee> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'KIND', field: 'kind', kind: 'state' },
    { title: 'POSITION', field: 'position' },
    { title: 'ACCESS', field: 'access', kind: 'state' },
    { title: 'STATUS', field: 'status', kind: 'state' },
    { title: 'CHANNELS', field: 'channels' },
  ],
  fields: ['id', 'firstName', 'lastName', 'channels', 'kind', 'position', 'access', 'status', 'createdAt'],
  computed: { name: fullName },
  id: ({ id }) => id,
}
