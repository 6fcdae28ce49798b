import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { RequireScope, Tag } from '../platform/index.js';
import { InventoryResponse } from '../pets/dto/inventory.response.js';
import { InventoryService } from '../pets/inventory.service.js';

@Tag('store', 'Orders')
@Controller({ path: 'store/inventory', version: '1' })
export class InventoryController {
  constructor(private readonly inventory: InventoryService) {}

  @Get()
  @RequireScope('pets:read')
  @ApiOperation({
    operationId: 'getInventory',
    summary: 'Count the pets',
    description:
      'Returns the number of pets of each status. A count is reused for a second, or for ten times as long as it took; until then ' +
      'your own changes may be missing.',
  })
  @ApiOkResponse({ type: InventoryResponse, description: 'The numbers of pets.' })
  count(): Promise<InventoryResponse> {
    return this.inventory.count();
  }
}
