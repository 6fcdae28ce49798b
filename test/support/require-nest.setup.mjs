import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

globalThis.nestForThrottler = { common, core };
