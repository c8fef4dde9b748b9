// Whether an analyst's transaction still runs on the server that is asked. Parameters: token. Rows: transaction.
SHOW TRANSACTIONS
YIELD transactionId AS transaction, metaData AS data
WHERE data.heliograph = $token
RETURN transaction
