import { ApiExtension } from '@nestjs/swagger';

/** Takes the interactive test panel of an operation away (`x-hideTryItPanel`). */
export const HideTryIt = (): MethodDecorator => ApiExtension('x-hideTryItPanel', true);
