#!/bin/sh
# Run by the image of PostgreSQL when it has made the database: makes the role that owns it, so that the service needs no superuser.
set -eu
# The password is not in the arguments of a process, which others can see.
psql --username=petstore --dbname=petstore --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<SQL
\set password '$(cat /run/secrets/owner_password)'
CREATE ROLE petstore_owner LOGIN PASSWORD :'password';
ALTER DATABASE :"DBNAME" OWNER TO petstore_owner;
SQL
